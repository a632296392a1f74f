import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Exports } from '../../../../api/http/limits/Exports';

const aResponse = (): ServerResponse =>
  Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerResponse;
const close = (response: ServerResponse): void => {
  response.destroyed = true;
  response.emit('close');
};

test('an export whose client has left › counts until MySQL has ended its read', async () => {
  const exports = new Exports();
  const response = aResponse();
  const read = exports.begin(1, response);
  let end: (rows: string) => void = () => undefined;
  const reading = read(() => new Promise<string>((resolve) => (end = resolve)));
  close(response);
  expect(() => exports.begin(1, aResponse())).toThrow('another export of the company is in progress');
  exports.begin(2, aResponse());
  end('rows');
  expect(await reading).toBe('rows');
  exports.begin(1, aResponse());
});

test('an export between two reads › ends with its response; one whose client had left before it began, with its first read', async () => {
  const exports = new Exports();
  const response = aResponse();
  await exports.begin(1, response)(() => Promise.resolve());
  expect(() => exports.begin(1, aResponse())).toThrow();
  close(response);
  const gone = aResponse();
  close(gone);
  await expect(exports.begin(1, gone)(() => Promise.reject(new Error('late')))).rejects.toThrow('late');
  exports.begin(1, aResponse());
});

test('a read that begins after the client has left › does not end the export that has begun meanwhile', async () => {
  const exports = new Exports();
  const response = aResponse();
  const read = exports.begin(1, response);
  close(response);
  exports.begin(1, aResponse());
  await read(() => Promise.resolve());
  expect(() => exports.begin(1, aResponse())).toThrow();
});
