import { Type } from '@sinclair/typebox';
import { eventType } from '../engine/events';
import { line, orNull, timestamp } from '../engine/schemas';
import { scopeList } from './scopes';

/** What happens to API keys. */
export const apiKeyEvents = {
  created: eventType(
    'api_key.created',
    Type.Object({ name: line(255), scopes: scopeList, expiresAt: orNull(timestamp) }),
    { meaning: 'An API key was created.' },
  ),
  revoked: eventType('api_key.revoked', Type.Object({ name: line(255) }), { meaning: 'An API key was revoked.' }),
};
