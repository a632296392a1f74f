import type { Command } from 'commander';
import { bodyValidator } from '../../shared/kernel/schemas/ajv';
import { loadConfig } from '../../config/env';
import { company as description, type CompanyInput, createCompany, presentCompany } from '../../shared/companies';
import { examples } from '../examples';
import type { Output } from '../output';
import { withDatabase } from '../withDatabase';

const checkCompany = bodyValidator({ ...description.changesBody, required: ['name'] });

/** `companies create`: values are checked as those of PUT /api/company are. */
export function addCompanyCommands(program: Command, answer: Output): void {
  program
    .command('companies')
    .description('The companies (tenants) of this installation.')
    .command('create')
    .description('Creates a company.')
    .requiredOption('--name <name>', 'name of the company (required)')
    .option('--email <address>', 'sender address; without it, invoices cannot be e-mailed')
    .option('--currency <code>', 'ISO 4217 code (default: IDR)')
    .option('--locale <tag>', 'BCP 47 tag (default: en)')
    .option('--timezone <zone>', 'IANA name (default: Asia/Jakarta)')
    .addHelpText(
      'after',
      examples('companies create --name "Acme" --email billing@acme.example --timezone Europe/Berlin'),
    )
    .action(async (company: CompanyInput & { name: string }) => {
      checkCompany(company);
      const { publicUrl } = loadConfig();
      await answer(presentCompany(await withDatabase((work) => createCompany(work, company)), publicUrl));
    });
}
