import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, PrimaryKey, Table } from 'sequelize-typescript';
import { Decimal, Id, KeyId, NewId, Small, Text } from '../engine/db';

/** A credited quantity of an item of the invoice, or an amount that belongs to no item. `position` counts from 0. */
@Table({ tableName: 'credit_note_items', timestamps: false })
export class CreditNoteItem extends Model<InferAttributes<CreditNoteItem>, InferCreationAttributes<CreditNoteItem>> {
  @NewId declare id: CreationOptional<number>;
  @KeyId declare companyId: number;
  @KeyId declare creditNoteId: number;
  @PrimaryKey @Small declare position: number;
  @Id declare itemId: number | null;
  @Text(500) declare description: string;
  @Decimal() declare quantity: string;
  @Decimal() declare unitPrice: string;
  @Decimal() declare amount: string;
}
