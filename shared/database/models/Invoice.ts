import { AutoIncrement, Column, DataType, Model, PrimaryKey, Table } from 'sequelize-typescript';
import { softDeleteColumn } from './softDeleteColumn';
import type { InvoiceStatus, Recurrence } from '../../domain/statuses';

/** An invoice; its money columns always agree with its items (see domain/invoiceTotals). */
@Table({ tableName: 'invoices' })
export class Invoice extends Model {
  @PrimaryKey
  @Column(DataType.BIGINT.UNSIGNED)
  declare companyId: number;

  @PrimaryKey
  @AutoIncrement
  @Column(DataType.BIGINT.UNSIGNED)
  declare id: number;

  @Column(DataType.BIGINT.UNSIGNED)
  declare clientId: number;

  @Column(DataType.STRING(50))
  declare invoiceNumber: string;

  @Column(DataType.STRING(16))
  declare status: InvoiceStatus;

  @Column(DataType.DATEONLY)
  declare issueDate: string;

  @Column(DataType.DATEONLY)
  declare dueDate: string;

  @Column(DataType.DECIMAL(15, 2))
  declare subtotal: string;

  @Column(DataType.DECIMAL(15, 2))
  declare tax: string;

  @Column(DataType.DECIMAL(5, 2))
  declare taxRate: string;

  @Column(DataType.DECIMAL(15, 2))
  declare total: string;

  @Column(DataType.TEXT)
  declare notes: string;

  @Column(DataType.STRING(3))
  declare currency: string;

  @Column(DataType.STRING(191))
  declare gatewayInvoiceId: string | null;

  @Column(DataType.STRING(2048))
  declare gatewayInvoiceUrl: string | null;

  @Column(DataType.STRING(8))
  declare recurring: Recurrence;

  @Column(DataType.DATEONLY)
  declare nextDueDate: string | null;

  @Column(DataType.DATEONLY)
  declare anchorDate: string | null;

  @Column(DataType.DATEONLY)
  declare recurringSince: string | null;

  @Column(DataType.DATE(3))
  declare dueAt: Date | null;

  @Column(DataType.BIGINT.UNSIGNED)
  declare seriesId: number | null;

  @Column(DataType.DATEONLY)
  declare occurrenceDate: string | null;

  @Column(DataType.TEXT)
  declare frozenParties: string | null;

  @Column(DataType.DATE(3))
  declare sentAt: Date | null;

  @Column(DataType.DATE(3))
  declare paidAt: Date | null;

  @Column(softDeleteColumn)
  declare softDelete: boolean;

  @Column(DataType.DATE(3))
  declare createdAt: Date;

  @Column(DataType.DATE(3))
  declare updatedAt: Date;
}
