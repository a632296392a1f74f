import { id, type JobContract } from '../engine/jobs';

/** Of the rows of the file. */
export interface ImportCounts {
  created: number;
  unchanged: number;
  failed: number;
}

/** Imports the rows of a file that are left. */
export const importRecords: JobContract<'importRecords', { importId: number }, ImportCounts> = {
  name: 'importRecords',
  queue: 'import',
  payload: { type: 'object', required: ['importId'], properties: { importId: id } },
};
