import { createTable } from './Migration';

/** The reminders that were recorded, sent or skipped: the primary key allows each at most once. No `emailId`: skipped. */
export default createTable(
  'reminders',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    invoiceId BIGINT UNSIGNED NOT NULL,
    dueDate DATE NOT NULL,
    relativeDay SMALLINT NOT NULL,
    emailId BIGINT UNSIGNED NULL,
    createdAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, invoiceId, dueDate, relativeDay),
    KEY reminders_by_email (companyId, emailId),
    CONSTRAINT reminders_invoice FOREIGN KEY (companyId, invoiceId) REFERENCES invoices (companyId, id)
  `,
);
