import { requireNode } from '../../config/version';

describe('requireNode', () => {
  test.each(['20.20.2', '20.21.0', '22.22.2', '24.14.1', '26.0.0'])('%s › runs', (running) => {
    expect(() => requireNode(running)).not.toThrow();
  });

  test.each(['18.20.8', '20.20.1', '22.22.1', '23.11.1', '24.14.0'])(
    '%s › is refused, with what to install',
    (running) => {
      expect(() => requireNode(running)).toThrow(
        `Node.js is ${running}: install ^20.20.2 || ^22.22.2 || >=24.14.1, for example the newest 24`,
      );
    },
  );
});
