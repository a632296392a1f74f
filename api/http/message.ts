import { named, responseBody } from '../../shared/engine/schemas';

export const messageSchema = named('Message', responseBody({ message: { type: 'string' } }));
