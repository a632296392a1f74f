import type { Command } from 'commander';
import { bodyValidator } from '../../shared/engine/schemas';
import { loadConfig } from '../../config/env';
import { company as description, type CompanyInput, createCompany, presentCompany } from '../../shared/companies';
import { ask } from '../ask';
import { examples } from '../examples';
import type { Output } from '../output';
import { withDatabase } from '../withDatabase';

const checkCompany = bodyValidator({ ...description.changesBody, required: ['name'] });

const askedFor = [
  { field: 'currency', question: ['Currency, an ISO 4217 code', 'IDR'] },
  { field: 'timezone', question: ['Time zone, an IANA name', 'Asia/Jakarta'] },
] as const;

/** `companies create`: values are checked as those of PUT /api/company are. */
export function addCompanyCommands(program: Command, output: Output): void {
  program
    .command('companies')
    .description('The companies (tenants) of this installation.')
    .command('create')
    .description('Creates a company.')
    .requiredOption('--name <name>', 'name of the company (required)')
    .option('--email <address>', 'sender address; without it, invoices cannot be e-mailed')
    .option('--currency <code>', 'ISO 4217 code; asked for on a terminal, elsewhere IDR without it')
    .option('--locale <tag>', 'BCP 47 tag (default: en)')
    .option('--timezone <zone>', 'IANA name; asked for on a terminal, elsewhere Asia/Jakarta without it')
    .option('--sandbox', 'for tests: POST /api/schedules/run does what its calendar will do')
    .addHelpText(
      'after',
      examples('companies create --name "Acme" --email billing@acme.example --currency EUR --timezone Europe/Berlin'),
    )
    .action(async ({ sandbox, ...given }: CompanyInput & { name: string; sandbox?: true }) => {
      checkCompany(given);
      const missing = askedFor.filter(({ field }) => given[field] === undefined);
      const replies = await ask(missing.map(({ question }) => question));
      const company = { ...given, ...Object.fromEntries(missing.map(({ field }, index) => [field, replies[index]])) };
      checkCompany(company);
      const { publicUrl } = loadConfig();
      const isSandbox = sandbox === true;
      const created = await withDatabase((work) => createCompany(work, company, { isSandbox }));
      await output(presentCompany(created, publicUrl));
    });
}
