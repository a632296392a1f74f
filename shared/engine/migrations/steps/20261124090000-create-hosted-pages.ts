import { createTable } from './Migration';

/** The invoices with a page for their reader. `selector` begins the token: it finds candidates, which are compared in constant time. */
export default createTable(
  'hosted_pages',
  `
    companyId BIGINT UNSIGNED NOT NULL,
    invoiceId BIGINT UNSIGNED NOT NULL,
    token CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    selector CHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    createdAt DATETIME(3) NOT NULL,
    PRIMARY KEY (companyId, invoiceId),
    KEY hosted_pages_by_selector (selector),
    CONSTRAINT hosted_pages_invoice FOREIGN KEY (companyId, invoiceId) REFERENCES invoices (companyId, id)
  `,
);
