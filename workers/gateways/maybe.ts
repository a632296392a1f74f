import { type TSchema, Type } from '@sinclair/typebox';

/** The schema of a field that may be null, or left out. */
export const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
