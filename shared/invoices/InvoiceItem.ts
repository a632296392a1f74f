import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, PrimaryKey, Table } from 'sequelize-typescript';
import { Decimal, KeyId, NewId, Small, Text, Timestamp } from '../engine/db';

/** A line item; `position` counts from 0 in the order in which the items were given. */
@Table({ tableName: 'invoice_items' })
export class InvoiceItem extends Model<InferAttributes<InvoiceItem>, InferCreationAttributes<InvoiceItem>> {
  @NewId declare id: CreationOptional<number>;
  @KeyId declare companyId: number;
  @KeyId declare invoiceId: number;
  @PrimaryKey @Small declare position: number;
  @Text(500) declare description: string;
  @Decimal() declare quantity: string;
  @Decimal() declare unitPrice: string;
  @Decimal() declare amount: string;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
