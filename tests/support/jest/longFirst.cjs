const { default: Sequencer } = require('@jest/test-sequencer');

const isLong = ({ path }) => /[\\/]tests[\\/](?:scenarios|ops)[\\/]/.test(path);

/**
 * A fresh clone does not know how long the files take: those that start processes and wait for them go first, so that none of
 * them runs alone at the end. Otherwise Jest's own order: failed ones, then by the time that they took.
 */
module.exports = class LongFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};
