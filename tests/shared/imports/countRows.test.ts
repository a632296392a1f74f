import { countRows, importKinds } from '../../../shared/imports';

async function* inOnePiece(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

test('counting the rows of a file lets other work run after each thousand', async () => {
  const breathe = jest.fn(() => Promise.resolve());
  const file = `name,email\n${'a,b\n'.repeat(10_000)}`;
  expect(await countRows(importKinds.clients, inOnePiece(file), 'file', breathe)).toBe(10_000);
  expect(breathe.mock.calls.length).toBeGreaterThanOrEqual(10);
});
