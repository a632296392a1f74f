import { type CreationOptional, type InferAttributes, type InferCreationAttributes, literal } from 'sequelize';
import { Column, DataType, DefaultScope, Model, Table } from 'sequelize-typescript';
import { Day, Decimal, Flag, Id, KeyId, NewKeyId, Small, Text, Timestamp } from '../engine/db';
import { taxRateColumns, taxRateOf } from './taxRate';
import { externalIdSql } from './details';
import type { InvoiceStatus } from './statuses';
import type { Recurrence } from '../recurrence';

/** An invoice; its money columns always agree with its items (see `invoiceTotals`). */
@DefaultScope(() => ({ attributes: { include: [[literal(externalIdSql('`Invoice`')), 'externalId']] } }))
@Table({ tableName: 'invoices' })
export class Invoice extends Model<InferAttributes<Invoice>, InferCreationAttributes<Invoice>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Id declare clientId: number;
  /** Of its details, for its events. */
  @Column(DataType.VIRTUAL) declare externalId: CreationOptional<string | null>;
  @Text(50) declare invoiceNumber: string;
  @Text(16) declare status: InvoiceStatus;
  @Day declare issueDate: string;
  @Day declare dueDate: string;
  @Decimal() declare subtotal: string;
  @Decimal() declare tax: string;
  @Text(8) declare exactTaxRate: CreationOptional<string | null>;
  /** The whole rate, of both columns. */
  @Column({
    type: DataType.DECIMAL(5, 2),
    get(this: Invoice) {
      return taxRateOf({ taxRate: this.getDataValue('taxRate'), exactTaxRate: this.getDataValue('exactTaxRate') });
    },
    set(this: Invoice, rate: string) {
      const { taxRate, exactTaxRate } = taxRateColumns(rate);
      this.setDataValue('taxRate', taxRate);
      this.setDataValue('exactTaxRate', exactTaxRate);
    },
  })
  declare taxRate: string;
  @Decimal() declare total: string;
  /** The sum of its credit notes. */
  @Decimal() declare credited: CreationOptional<string>;
  @Text() declare notes: string;
  @Text(3) declare currency: string;
  @Text(191) declare gatewayInvoiceId: string | null;
  @Text(2048) declare gatewayInvoiceUrl: string | null;
  @Text(8) declare recurring: Recurrence;
  @Small declare every: CreationOptional<number>;
  @Day declare nextDueDate: string | null;
  @Day declare endsOn: string | null;
  @Flag declare paused: CreationOptional<boolean>;
  /** An occurrence is e-mailed on its day. */
  @Flag declare autoSend: CreationOptional<boolean>;
  @Day declare anchorDate: string | null;
  @Day declare recurringSince: string | null;
  @Timestamp declare dueAt: Date | null;
  @Id declare seriesId: number | null;
  @Day declare occurrenceDate: string | null;
  @Text() declare frozenParties: string | null;
  @Timestamp declare sentAt: Date | null;
  @Timestamp declare paidAt: Date | null;
  @Timestamp declare cancelledAt: Date | null;
  @Flag declare softDelete: boolean;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
