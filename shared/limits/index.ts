/** What one company may use in a time, over all processes. */
export { CompanyRate } from './CompanyRate';
export { recipientsPerDay } from './recipientsPerDay';
