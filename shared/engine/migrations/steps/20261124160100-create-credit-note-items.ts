import { createTable } from './Migration';

/** `itemId` is the item of the invoice that is credited; null for an amount that belongs to none. */
export default createTable(
  'credit_note_items',
  `
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
    companyId BIGINT UNSIGNED NOT NULL,
    creditNoteId BIGINT UNSIGNED NOT NULL,
    position SMALLINT UNSIGNED NOT NULL,
    itemId BIGINT UNSIGNED NULL,
    description VARCHAR(500) NOT NULL,
    quantity DECIMAL(15,2) NOT NULL,
    unitPrice DECIMAL(15,2) NOT NULL,
    amount DECIMAL(15,2) NOT NULL,
    PRIMARY KEY (companyId, creditNoteId, position),
    UNIQUE KEY credit_note_items_id (id),
    CONSTRAINT credit_note_items_note FOREIGN KEY (companyId, creditNoteId) REFERENCES credit_notes (companyId, id)
  `,
);
