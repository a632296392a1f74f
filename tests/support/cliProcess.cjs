const { CommanderError } = require('commander');
const { fail, usageError } = require('../../dist/cli/output.js');
const { buildProgram } = require('../../dist/cli/program.js');

/** Runs the built commands that it is sent, one after the other, as dist/cli/index.js runs the one of its own. See commandLine.ts. */
process.on('message', ({ args, env }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Infinity, ...args);
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    process[name].write = (text, done) => {
      written[name] += text;
      if (done) setImmediate(done);
      return true;
    };
  }
  process.exit = (exitCode) => process.send({ exitCode, ...written });
  buildProgram(args[0])
    .then((program) => program.parseAsync())
    .catch((error) => {
      if (!(error instanceof CommanderError)) return fail(error);
      return error.exitCode === 0 ? process.exit(0) : usageError(error);
    });
});
