/** Companies: the tenants, with their settings and logos. */
export { Company } from './Company';
export { createCompany } from './createCompany';
export { drawLogo } from './logo/drawLogo';
export { printableLogo } from './logo/printableLogo';
export { removeLogo } from './logo/removeLogo';
export { removeUnusedLogos } from './logo/removeUnusedLogos';
export { keepLogo, logoKeyOf, reserveLogo, setLogo, storeLogo } from './logo/setLogo';
export { company, type CompanyInput, type CompanyRecord, companySchema, getCompany, presentCompany } from './record';
export { updateCompany } from './updateCompany';
