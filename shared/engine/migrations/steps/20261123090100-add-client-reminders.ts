import { addColumns } from './Migration';

/** Adds whether a client gets reminders, and when its address was changed: a bounce before then says nothing of the new address. */
export default addColumns('clients', {
  reminders: 'TINYINT(1) NOT NULL DEFAULT 1',
  emailChangedAt: 'DATETIME(3) NULL',
});
