import { currency, email, line, locale, orNull, requestBody, text, timezone } from '../../validation/fields';

export const updateCompanyBody = requestBody(
  {
    name: line(255),
    email: orNull(email),
    phone: orNull(line(50)),
    address: orNull(text(1000, 20)),
    taxId: orNull(line(100)),
    currency,
    locale,
    timezone,
    invoiceNumberFormat: {
      type: 'string',
      maxLength: 50,
      format: 'invoice-number-format',
      example: 'INV-{YYYY}-{SEQ:5}',
    },
  },
  { ignored: ['id', 'logoUrl', 'createdAt', 'updatedAt'] },
);
