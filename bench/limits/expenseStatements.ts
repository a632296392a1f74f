/** Company, category, vendor, description, amount, date, series and date of the occurrence. */
export const insertExpense = `INSERT INTO expenses (companyId, categoryId, vendorId, vendor, description, amount, currency,
    expenseDate, receiptUrl, status, recurring, nextDueDate, seriesId, occurrenceDate, softDelete, createdAt, updatedAt)
  VALUES (?, ?, NULL, ?, ?, ?, 'IDR', ?, NULL, 'pending', 'none', NULL, ?, ?, 0, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))`;

export const insertExpenseEvent = `INSERT INTO events (companyId, type, actor, subjectType, subjectId, data, createdAt)
  VALUES (?, 'expense.created', 'bare', 'expense', ?, '{"status":"pending"}', UTC_TIMESTAMP(3))`;

export const countExpense = `INSERT INTO record_counts (companyId, kind, softDelete, status, slot, total)
  VALUES (?, 'expense', 0, 'pending', CONNECTION_ID() % 16, 1) ON DUPLICATE KEY UPDATE total = total + VALUES(total)`;
