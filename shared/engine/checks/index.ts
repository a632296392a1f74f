/** The checks of `doctor`: each is ok, a warning or broken, with its remedy. */
export { broken, type Check, type CheckResult, type CheckStatus, type Finding, ok, skipped, warning } from './Check';
export { reasonOf } from './reasonOf';
export { CALL_TIMEOUT_MS, runChecks } from './runChecks';
