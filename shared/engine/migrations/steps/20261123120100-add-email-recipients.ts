import { addColumns } from './Migration';

/**
 * Adds what the request of an e-mail gave: who it goes to in the place of the client, copies (each a list of addresses with commas
 * between), and the message above the summary. Null where it gave none, and for rows of earlier versions.
 */
export default addColumns('emails', {
  givenTo: 'VARCHAR(1300) CHARACTER SET ascii NULL',
  cc: 'VARCHAR(1300) CHARACTER SET ascii NULL',
  message: 'VARCHAR(2000) NULL',
});
