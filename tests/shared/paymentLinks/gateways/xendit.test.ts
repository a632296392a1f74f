import fc from 'fast-check';
import { loadConfig } from '../../../../config/env';
import { findGatewayRules, gatewayRules } from '../../../../shared/paymentLinks/gateways';
import { gatewayAmount, isAuthentic, parseCallback } from '../../../../shared/paymentLinks/gateways/xendit';

const settingsWith = (token: string) => loadConfig({ XENDIT_CALLBACK_TOKEN: token }).gateway;

describe('the proof of a callback', () => {
  const settings = settingsWith('right-token');
  const body = Buffer.from('{}');

  it('holds when the header is the configured token', () => {
    expect(isAuthentic(body, { 'x-callback-token': 'right-token' }, settings)).toBe(true);
  });

  it.each([
    ['another token', 'wrong-token'],
    ['a token of another length', 'right-token-and-more'],
    ['a part of the token', 'right'],
    ['an empty token', ''],
    ['no token', undefined],
    ['several tokens', ['right-token', 'right-token']],
  ])('fails for %s', (_name, token) => {
    expect(isAuthentic(body, { 'x-callback-token': token }, settings)).toBe(false);
  });

  it('fails for everything, the empty token too, while none is configured', () => {
    expect(isAuthentic(body, { 'x-callback-token': '' }, settingsWith(''))).toBe(false);
    expect(isAuthentic(body, {}, settingsWith(''))).toBe(false);
  });
});

describe('the body of a callback', () => {
  const body = { id: '579c8d61f23fa4ca35e52da4', external_id: 'ref-1', status: 'PAID', paid_amount: 50_000 };

  it.each([
    ['PENDING', 'pending'],
    ['PAID', 'paid'],
    ['SETTLED', 'paid'],
    ['EXPIRED', 'expired'],
    ['PROCESSING', 'processing'],
  ])('with status %s says %s', (status, expected) => {
    expect(parseCallback({ ...body, status })).toEqual({
      gatewayId: '579c8d61f23fa4ca35e52da4',
      reference: 'ref-1',
      paymentId: '579c8d61f23fa4ca35e52da4',
      status: expected,
      eventId: '',
    });
  });

  it.each([
    ['null', null],
    ['text', 'PAID'],
    ['a list', [body]],
    ['an unknown status', { ...body, status: 'REFUNDED' }],
    ['a status that is a property of every object', { ...body, status: 'constructor' }],
    ['an id that is no text', { ...body, id: { $ne: '' } }],
    ['an empty id', { ...body, id: '' }],
    ['an endless id', { ...body, id: 'x'.repeat(256) }],
    ['no reference', { ...body, external_id: undefined }],
    ['a reference that is a list', { ...body, external_id: ['ref-1'] }],
    ['another product', { event: 'payment.succeeded', data: { id: '1' } }],
  ])('that is %s is about no payment link', (_name, other) => {
    expect(parseCallback(other)).toBeNull();
  });

  it('never throws, whatever JSON it is', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => parseCallback(value) === null));
  });
});

describe('the amount that the gateway takes', () => {
  it.each([
    ['1000.00', 'IDR', '1000.00'],
    ['1000.49', 'IDR', '1000.00'],
    ['1000.50', 'IDR', '1001.00'],
    ['0.49', 'IDR', '0.00'],
    ['0.50', 'JPY', '1.00'],
    ['999.99', 'KRW', '1000.00'],
    ['9999999999999.99', 'VND', '10000000000000.00'],
    ['1000.50', 'idr', '1001.00'],
    ['1000.49', 'USD', '1000.49'],
    ['0.01', 'PHP', '0.01'],
    ['9999999999999.99', 'USD', '9999999999999.99'],
  ])('of %s %s is %s', (total, currency, expected) => {
    expect(gatewayAmount(total, currency)).toBe(expected);
  });

  it.each(['-1.00', '1', '1.5', '1.005', '1e5', '', ' 1.00', '1,000.00'])('cannot be made of "%s"', (total) => {
    expect(() => gatewayAmount(total, 'IDR')).toThrow(RangeError);
  });

  it('is the nearest whole unit, the upper one in the middle, at any size', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 30n), (cents) => {
        const total = `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
        expect(gatewayAmount(total, 'IDR')).toBe(`${(cents + 50n) / 100n}.00`);
      }),
    );
  });
});

describe('the registry of providers', () => {
  it('knows Xendit', () => {
    expect(gatewayRules('xendit').gatewayAmount('1.50', 'IDR')).toBe('2.00');
    expect(findGatewayRules('xendit')).toBe(gatewayRules('xendit'));
  });

  it.each(['', 'Xendit', 'Stripe', 'constructor', '__proto__', 'toString'])('does not know "%s"', (name) => {
    expect(findGatewayRules(name)).toBeNull();
    expect(() => gatewayRules(name)).toThrow(/knows no payment provider/);
  });
});
