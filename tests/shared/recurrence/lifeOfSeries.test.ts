import fc from 'fast-check';
import { DateTime } from 'luxon';
import { addDays } from '../../../shared/dates/dates';
import { planOccurrences } from '../../../shared/recurrence/planOccurrences';
import { cadenceOf, changeSeries, dueAtOf, noSeries, type SeriesState } from '../../../shared/recurrence/SeriesState';

// What a series creates in four years of days, with scans that run or fail, pauses and ends; beside a calendar of luxon's dates.

const first = '2027-01-31';
const units = { daily: 'days', weekly: 'weeks', monthly: 'months', yearly: 'years' } as const;

type Step = { days: number } & (
  { do: 'scan' } | { do: 'pause' } | { do: 'resume' } | { do: 'end'; inDays: number | null }
);
const step: fc.Arbitrary<Step> = fc.record({ days: fc.integer({ min: 0, max: 90 }) }).chain(({ days }) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Step>({ days, do: 'scan' }) },
    fc.constant<Step>({ days, do: 'pause' }),
    fc.constant<Step>({ days, do: 'resume' }),
    fc.option(fc.nat(400)).map((inDays): Step => ({ days, do: 'end', inDays })),
  ),
);
const series = fc.record({
  recurring: fc.constantFrom('daily' as const, 'weekly' as const, 'monthly' as const, 'yearly' as const),
  every: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 36 })),
});

/** The dates of luxon that are still to come, and what the steps do to them. */
class Oracle {
  readonly created: string[] = [];
  private left: string[];
  private paused = false;
  private endsOn: string | null = null;

  constructor(recurring: keyof typeof units, every: number) {
    const from = DateTime.fromISO(first, { zone: 'utc' });
    const date = (n: number): DateTime => from.plus({ [units[recurring]]: n * every });
    this.left = [];
    for (let n = 1; date(n).year < 2034 || this.left.length < 2; n++) this.left.push(date(n).toFormat('yyyy-MM-dd'));
  }

  get next(): string | null {
    const [next] = this.left;
    return next === undefined || this.isAfterEnd(next) ? null : next;
  }

  scan(today: string): void {
    for (let date = this.next; date !== null && date <= today; date = this.next) {
      if (!this.paused) this.created.push(date);
      this.left.shift();
    }
  }

  pause(paused: boolean, today: string): void {
    if (this.paused && !paused) this.left = this.left.filter((date) => date >= today);
    this.paused = paused;
  }

  end(endsOn: string | null, today: string): void {
    // It had ended: nothing is caught up.
    if (this.next === null) {
      this.left = this.left.filter((date) => date >= today && !(this.endsOn !== null && date <= this.endsOn));
    }
    this.endsOn = endsOn;
  }

  private isAfterEnd(date: string): boolean {
    return this.endsOn !== null && date > this.endsOn;
  }
}

test('whatever happens to a series › it creates the dates of an independent calendar, each once', () => {
  fc.assert(
    fc.property(series, fc.array(step, { minLength: 1, maxLength: 25 }), ({ recurring, every }, steps) => {
      let today = first;
      const subject = (): Parameters<typeof changeSeries>[2] => ({
        ...{ date: first, dateField: 'expenseDate', timezone: 'UTC', now: new Date(`${today}T12:00:00Z`) },
      });
      let state: SeriesState = changeSeries(noSeries, { recurring, every }, subject());
      const created: string[] = [];
      const oracle = new Oracle(recurring, every);
      const scan = (): void => {
        const cadence = cadenceOf(state);
        const { nextDueDate, endsOn } = state;
        if (cadence === null || nextDueDate === null || state.dueAt === null || nextDueDate > today) return;
        const since = state.paused ? (addDays(today, 1) ?? '') : (state.recurringSince ?? '');
        const plan = planOccurrences({ cadence, nextDueDate, since, endsOn }, today);
        created.push(...plan.dates);
        state = {
          ...state,
          nextDueDate: plan.nextDueDate,
          dueAt: plan.nextDueDate === null ? null : dueAtOf(plan.nextDueDate, 'UTC'),
        };
      };
      for (const one of steps) {
        today = addDays(today, one.days) ?? '';
        if (one.do === 'scan') {
          scan();
          oracle.scan(today);
        } else if (one.do === 'end') {
          const endsOn = one.inDays === null ? null : (addDays(today, one.inDays) ?? '');
          // An end before the next date is refused.
          if (endsOn !== null && endsOn < (state.nextDueDate ?? addDays(today, 40_000) ?? '')) continue;
          state = changeSeries(state, { endsOn }, subject());
          oracle.end(endsOn, today);
        } else {
          const paused = one.do === 'pause';
          state = changeSeries(state, { paused }, subject());
          oracle.pause(paused, today);
        }
        // A PUT of what was read changes nothing.
        const { nextDueDate, endsOn, paused } = state;
        expect(changeSeries(state, { recurring, every, nextDueDate, endsOn, paused }, subject())).toEqual(state);
        expect(state.nextDueDate).toBe(oracle.next);
      }
      expect(created).toEqual(oracle.created);
    }),
    { numRuns: 100 },
  );
});
