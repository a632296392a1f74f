/** Secrets, encrypted before they are stored. */
export { openText, SEALING_KEY_BYTES, sealText } from './sealing';
export { SecretBox } from './SecretBox';
