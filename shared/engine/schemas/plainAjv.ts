import Ajv from 'ajv';
import addFormats from 'ajv-formats';

/**
 * Compiles schemas without keywords of our own: of providers' responses, of job payloads. No process checks its schemas against the
 * schema of schemas, which takes 20 to 50 ms to compile: strict mode refuses unknown keywords, and tests check the OpenAPI document.
 */
export const plainAjv = addFormats(new Ajv({ validateSchema: false }), ['date-time', 'uri']);
