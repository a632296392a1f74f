const shortText = /^[\x21-\x7e]{1,191}$/;

/** Tests whether a value of a callback is an id or a word that can be looked up. */
export const isShortText = (value: unknown): value is string => typeof value === 'string' && shortText.test(value);
