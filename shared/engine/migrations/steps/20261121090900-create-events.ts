import { createCompanyTable } from './Migration';

export default createCompanyTable(
  'events',
  `
    type VARCHAR(64) NOT NULL,
    actor VARCHAR(64) NOT NULL,
    subjectType VARCHAR(32) NOT NULL,
    subjectId BIGINT UNSIGNED NOT NULL,
    data MEDIUMTEXT NOT NULL,
    createdAt DATETIME(3) NOT NULL,
    KEY events_by_subject (companyId, subjectType, subjectId, id)
  `,
);
