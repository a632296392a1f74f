/** Checks that `doctor` makes: what is right, doubtful or broken, and the remedy. */
export { broken, type Check, type CheckResult, type CheckStatus, type Finding, ok, skipped, warning } from './Check';
export { reasonOf } from './reasonOf';
export { runChecks } from './runChecks';
