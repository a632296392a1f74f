import { CommanderError } from 'commander';
import { fail, usageError } from './output';
import { buildProgram } from './program';

buildProgram(process.argv[2])
  .then((program) => program.parseAsync())
  .catch((error: unknown) => {
    if (!(error instanceof CommanderError)) return fail(error);
    // The requested help is already on stdout.
    return error.exitCode === 0 ? undefined : usageError(error);
  });
