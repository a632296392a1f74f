/** Where the operator port serves the board. */
export const boardPath = '/board';
