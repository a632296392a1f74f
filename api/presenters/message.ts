import { responseBody } from '../validation/fields';

export const messageSchema = responseBody({ message: { type: 'string' } });
