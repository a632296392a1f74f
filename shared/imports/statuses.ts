/** The kinds of records that a file can contain. */
export const importTypes = ['clients', 'expenses'] as const;
export type ImportType = (typeof importTypes)[number];

export const importStatuses = ['queued', 'running', 'done', 'failed'] as const;
