import { named, responseBody } from '../../shared/kernel/schemas/fields';

export const messageSchema = named('Message', responseBody({ message: { type: 'string' } }));
