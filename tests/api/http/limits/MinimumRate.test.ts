import { MinimumRate } from '../../../../api/http/limits/MinimumRate';

class FakeSender {
  readonly socket = { bytesRead: 700 };
  paused = false;
  isPaused(): boolean {
    return this.paused;
  }
}

let rate: MinimumRate;
let sender: FakeSender;
let tooSlow: jest.Mock;
let stop: () => void;

beforeEach(() => {
  jest.useFakeTimers();
  sender = new FakeSender();
  tooSlow = jest.fn();
  rate = new MinimumRate(1_000, 5_000);
  stop = rate.watch(sender, tooSlow);
});
afterEach(() => {
  stop();
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});

test('a sender that brings enough in each window › goes on', () => {
  for (let window = 0; window < 10; window++) {
    sender.socket.bytesRead += 5_000;
    jest.advanceTimersByTime(5_000);
  }
  expect(tooSlow).not.toHaveBeenCalled();
});

test('a sender that brings one byte less in one window › is reported once', () => {
  sender.socket.bytesRead += 4_999;
  jest.advanceTimersByTime(4_000);
  expect(tooSlow).not.toHaveBeenCalled();
  jest.advanceTimersByTime(60_000);
  expect(tooSlow).toHaveBeenCalledTimes(1);
});

test('a sender that was fast and then stalls › is reported, whatever its average', () => {
  sender.socket.bytesRead += 1_000_000;
  jest.advanceTimersByTime(5_000);
  expect(tooSlow).not.toHaveBeenCalled();
  jest.advanceTimersByTime(6_000);
  expect(tooSlow).toHaveBeenCalledTimes(1);
});

test('a sender that the receiver has paused › is not reported', () => {
  sender.paused = true;
  jest.advanceTimersByTime(60_000);
  expect(tooSlow).not.toHaveBeenCalled();
});

test('a sender that is not watched any more › is not reported', () => {
  stop();
  jest.advanceTimersByTime(60_000);
  expect(tooSlow).not.toHaveBeenCalled();
});

test('40 senders that stall together › 16 are reported in each iteration of the event loop, but for one that ends meanwhile', () => {
  const last = Array.from({ length: 39 }, () => rate.watch(sender, tooSlow)).pop();
  jest.advanceTimersByTime(4_999);
  const reported: number[] = [];
  for (let timer = 0; timer < 4; timer++) {
    jest.advanceTimersToNextTimer();
    reported.push(tooSlow.mock.calls.length);
    if (timer === 1) last?.();
  }
  expect(reported).toEqual([0, 16, 32, 39]);
});
