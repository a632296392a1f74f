import type { LanguageTexts } from './LanguageTexts';

export const german: LanguageTexts = {
  direction: 'ltr',
  labels: {
    title: 'Rechnung',
    from: 'Rechnungssteller',
    billTo: 'Rechnungsempfänger',
    invoiceNumber: 'Rechnungsnummer',
    issueDate: 'Rechnungsdatum',
    dueDate: 'Fällig am',
    purchaseOrder: 'Bestellnummer',
    buyerReference: 'Ihr Zeichen',
    servicePeriod: 'Leistungszeitraum',
    taxId: 'Steuernummer',
    description: 'Bezeichnung',
    quantity: 'Menge',
    unitPrice: 'Einzelpreis',
    amount: 'Betrag',
    subtotal: 'Zwischensumme',
    tax: 'Steuer',
    total: 'Gesamtbetrag',
    amountDue: 'Zu zahlender Betrag',
    amountPaid: 'Bezahlter Betrag',
    credited: 'Gutschriften',
    notes: 'Hinweise',
    paymentTerms: 'Zahlungsbedingungen',
    paymentInstructions: 'Zahlungshinweise',
    payOnline: 'Online bezahlen',
    payableOnline: 'Betrag bei Online-Zahlung',
    scanToPay: 'Zum Bezahlen scannen',
    page: 'Seite {page} von {pages}',
    colon: ': ',
    stamps: { draft: 'Entwurf', paid: 'Bezahlt', overdue: 'Überfällig', cancelled: 'Storniert' },
  },
  email: {
    subject: 'Rechnung {number} von {sender}',
    greeting: 'Guten Tag {client},',
    attached: 'anbei erhalten Sie die Rechnung {number} von {sender}.',
    paid: 'Sie ist bereits bezahlt, vielen Dank.',
    overdue: 'Nach unseren Unterlagen ist die Zahlungsfrist abgelaufen.',
    moreItems: 'und {count} weitere',
    viewInvoice: 'Rechnung ansehen',
    reminder: {
      subject: 'Zahlungserinnerung: Rechnung {number} von {sender}',
      isDue:
        'wir möchten Sie freundlich daran erinnern, dass die Rechnung {number} von {sender} am {dueDate} fällig ist.',
      wasDue:
        'wir möchten Sie freundlich daran erinnern, dass die Rechnung {number} von {sender} am {dueDate} fällig war.',
    },
    orOpen: 'Oder öffnen Sie diese Adresse:',
    closing: 'Mit freundlichen Grüßen',
  },
  page: {
    downloadPdf: 'PDF herunterladen',
    returned: 'Falls Sie gerade bezahlt haben, steht es gleich hier.',
    preparing: 'Die Zahlungsseite wird vorbereitet. Das dauert einige Sekunden.',
    notPrepared:
      'Die Zahlungsseite kann gerade nicht geöffnet werden. Bitte versuchen Sie es in einigen Minuten erneut.',
    onItsWay: 'Eine Zahlung ist unterwegs. Sie müssen nichts weiter tun.',
    notFound:
      'Diese Seite gibt es nicht, oder ihre Adresse gilt nicht mehr. Bitte fragen Sie den Absender nach einer neuen.',
    unavailable: 'Diese Seite kann gerade nicht angezeigt werden. Bitte versuchen Sie es in einigen Minuten erneut.',
  },
  creditNote: {
    labels: {
      title: 'Rechnungskorrektur',
      invoiceNumber: 'Korrekturnummer',
      issueDate: 'Datum',
    },
    corrects: 'Zur Rechnung',
    reason: 'Grund',
    amount: 'Gutgeschriebener Betrag',
    email: {
      subject: 'Rechnungskorrektur {number} von {sender}',
      attached: 'anbei erhalten Sie die Rechnungskorrektur {number} von {sender} zur Rechnung {invoice}.',
    },
  },
};
