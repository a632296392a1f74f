const { LegacyFakeTimers, ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/**
 * Runs the test files in the realm of Jest itself, one after the other, and not each in a `vm` context of its own. So modules that
 * were loaded for an earlier file (see runtime.cjs) have the same `Error`, `Date` and `Array` as the tests. After each file the
 * globals, the environment variables, what was spied on and the listeners of the process are as they were before it.
 */
module.exports = class OneRealmEnvironment {
  constructor({ projectConfig: config }) {
    const global = globalThis;
    this.restore = [
      rememberProperties(global),
      rememberProperties(process, ['exit', 'emitWarning']),
      rememberVariables(),
      rememberListeners(),
    ];
    this.global = global;
    // jest-circus takes these instead of what a test fakes.
    for (const [name, value] of Object.entries({ promise: Promise, now: Date.now.bind(Date) })) {
      Object.defineProperty(global, Symbol.for(`jest-native-${name}`), { configurable: true, value });
    }
    this.moduleMocker = new ModuleMocker(global);
    const timerConfig = { idToRef: (id) => ({ id, ref: () => id, unref: () => id }), refToId: (timer) => timer?.id };
    this.fakeTimers = new LegacyFakeTimers({ config, global, moduleMocker: this.moduleMocker, timerConfig });
    this.fakeTimersModern = new ModernFakeTimers({ config, global });
  }

  async setup() {}

  /** A test that fails prints which errors the service has logged meanwhile: a response with 500 does not say why. */
  handleTestEvent({ name, test }) {
    const { loggedErrors = [] } = globalThis;
    if (name === 'test_done' && test.errors.length > 0) process.stderr.write(loggedErrors.join(''));
    if (name === 'test_start') loggedErrors.length = 0;
  }

  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    for (const restore of this.restore) restore();
    this.global = null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Jest takes null for an environment that has ended. */
  getVmContext() {
    return this.global;
  }
};

function rememberProperties(object, only) {
  const keys = () => only ?? Reflect.ownKeys(object);
  const before = new Map(keys().map((key) => [key, Object.getOwnPropertyDescriptor(object, key)]));
  return () => {
    for (const key of keys()) {
      const old = before.get(key);
      const now = Object.getOwnPropertyDescriptor(object, key);
      if (now?.configurable === false) continue;
      if (old === undefined) delete object[key];
      else if (old.value !== now?.value || old.get !== now?.get) Object.defineProperty(object, key, old);
    }
    for (const [key, old] of before) if (old && !Object.hasOwn(object, key)) Object.defineProperty(object, key, old);
  };
}

function rememberVariables() {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  };
}

function rememberListeners() {
  const before = new Map(process.eventNames().map((event) => [event, process.rawListeners(event)]));
  return () => {
    for (const event of process.eventNames()) {
      for (const listener of process.rawListeners(event)) {
        if (!before.get(event)?.includes(listener)) process.off(event, listener);
      }
    }
  };
}
