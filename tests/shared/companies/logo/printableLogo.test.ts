import type { Services } from '../../../../shared/services';
import { printableLogo } from '../../../../shared/companies/logo/printableLogo';
import { storeLogo } from '../../../../shared/companies/logo/setLogo';
import { pixelAt } from '../../../support/drawings';
import { png, svg } from '../../../support/images';
import { openTestServices } from '../../../support/installation';

let services: Services;
let draws: jest.SpyInstance;
let warn: jest.SpyInstance;

beforeAll(async () => {
  services = await openTestServices();
});
beforeEach(() => {
  draws = jest.spyOn(services.drawing, 'run');
  warn = jest.spyOn(services.log, 'warn');
});

const stored = async (key: string, bytes: Buffer): Promise<string> => {
  await services.files.put(key, bytes);
  return key;
};

describe('the logo that is printed', () => {
  test('is the stored PNG where it was drawn at its upload', async () => {
    expect(await printableLogo(services, 1, await storeLogo(services.files, 1, png()))).toEqual(png());
    expect(draws).not.toHaveBeenCalled();
  });

  test.each(['svg', 'jpg', 'png'])('is drawn once from a .%s of an earlier version', async (extension) => {
    const drawing = Buffer.from(svg('<rect width="5" height="5" fill="red"/>'));
    const key = await stored(`logo/1/a.${extension}`, drawing);
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => printableLogo(services, 1, key)));
    expect(await pixelAt(first ?? png(), 25, 25)).toEqual([255, 0, 0, 255]);
    await services.files.remove(key);
    for (const again of [...others, await printableLogo(services, 1, key)]) expect(again).toEqual(first);
  });

  test('is none where it cannot be drawn: that is logged, and not retried', async () => {
    const key = await stored('logo/1/damaged.png', png().subarray(0, 40));
    expect(await printableLogo(services, 1, key)).toBeNull();
    expect(await printableLogo(services, 1, key)).toBeNull();
    expect(draws).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ logoKey: key }), expect.any(String));
  });

  test('is retried after a failure that the image did not cause', async () => {
    const key = await stored('logo/1/later.png', png());
    const { execPath } = process;
    process.execPath = '/nowhere/node';
    await expect(printableLogo(services, 1, key)).rejects.toMatchObject({ status: 503, retryable: true });
    process.execPath = execPath;
    expect(await printableLogo(services, 1, key)).not.toBeNull();
  });

  test('is none where the file is gone', async () => {
    expect(await printableLogo(services, 1, 'logo/1/gone.svg')).toBeNull();
    expect(await printableLogo(services, 1, 'logo/1/gone.drawn.png')).toBeNull();
  });
});
