import { isCurrency } from '../../../shared/money/currencies';
import { includesScope, scopes } from '../../../shared/apiKeys/scopes';
import { invoiceStatuses } from '../../../shared/invoices/statuses';
import { recurrences } from '../../../shared/recurrence/recurrences';

describe('statuses', () => {
  test('the words of the interface › are these and no others', () => {
    expect(invoiceStatuses).toEqual(['draft', 'sent', 'paid', 'overdue', 'cancelled']);
    expect(recurrences).toEqual(['none', 'daily', 'weekly', 'monthly', 'yearly']);
    expect(scopes).toEqual(['read', 'write', 'admin']);
  });

  test('write › includes read, admin both, and nothing includes what is above it', () => {
    const granted = scopes.map((scope) => scopes.filter((needed) => includesScope([scope], needed)));
    expect(granted).toEqual([['read'], ['read', 'write'], ['read', 'write', 'admin']]);
    expect(scopes.some((needed) => includesScope([], needed))).toBe(false);
  });
});

describe('currencies', () => {
  test.each(['IDR', 'USD', 'EUR', 'JPY', 'KWD'])('%s › is a currency', (code) => {
    expect(isCurrency(code)).toBe(true);
  });

  test.each(['', 'idr', 'Idr', 'IDR ', 'RP', 'ZZZ', '360', 'constructor'])('"%s" › is none', (code) => {
    expect(isCurrency(code)).toBe(false);
  });
});
