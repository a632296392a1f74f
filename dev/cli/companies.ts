import type { Command } from 'commander';
import { presentCompany } from '../../api/presenters/company';
import { updateCompanyBody } from '../../api/routes/company/requests';
import { bodyValidator } from '../../api/validation/ajv';
import { loadConfig } from '../../config/env';
import type { CompanyInput } from '../../shared/usecases/companies/CompanyRecord';
import { createCompany } from '../../shared/usecases/companies/createCompany';
import type { Output } from './output';
import { withDatabase } from './withDatabase';

const checkCompany = bodyValidator({ ...updateCompanyBody, required: ['name'] });

/** `companies create`: values are checked as those of PUT /api/company are. */
export function addCompanyCommands(program: Command, answer: Output): void {
  program
    .command('companies')
    .description('companies, the tenants of this installation')
    .command('create')
    .description('make a company')
    .requiredOption('--name <name>')
    .option('--email <address>', 'without one its invoices cannot be e-mailed')
    .option('--currency <code>', 'ISO 4217 (default: IDR)')
    .option('--locale <tag>', 'BCP 47 (default: en)')
    .option('--timezone <zone>', 'IANA (default: Asia/Jakarta)')
    .action(async (company: CompanyInput & { name: string }) => {
      checkCompany(company);
      const { publicUrl } = loadConfig();
      await answer(presentCompany(await withDatabase((uow) => createCompany(uow, company)), publicUrl));
    });
}
