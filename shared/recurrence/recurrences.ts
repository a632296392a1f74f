import { oneOf } from '../engine/schemas';

export const recurrences = ['none', 'daily', 'weekly', 'monthly', 'yearly'] as const;
export type Recurrence = (typeof recurrences)[number];

export const recurrence = oneOf('Recurrence', recurrences);
