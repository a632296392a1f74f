import { createTable } from './Migration';

export default createTable(
  'events',
  `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    companyId BIGINT UNSIGNED NOT NULL,
    type VARCHAR(64) NOT NULL,
    actor VARCHAR(64) NOT NULL,
    subjectType VARCHAR(32) NOT NULL,
    subjectId BIGINT UNSIGNED NOT NULL,
    data MEDIUMTEXT NOT NULL,
    createdAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, id),
    UNIQUE KEY events_id (id),
    KEY events_by_subject (companyId, subjectType, subjectId, id),
    CONSTRAINT events_company FOREIGN KEY (companyId) REFERENCES companies (id)
  `,
);
