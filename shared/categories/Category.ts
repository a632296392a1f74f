import type { CreationOptional, InferAttributes, InferCreationAttributes } from 'sequelize';
import { Model, Table } from 'sequelize-typescript';
import { Flag, KeyId, NewKeyId, Text, Timestamp } from '../engine/db';

/** The purpose of an expense. Its name is unique among a company’s categories that are not deleted. */
@Table({ tableName: 'categories' })
export class Category extends Model<InferAttributes<Category>, InferCreationAttributes<Category>> {
  @KeyId declare companyId: number;
  @NewKeyId declare id: CreationOptional<number>;
  @Text(255) declare name: string;
  @Flag declare softDelete: boolean;
  @Timestamp declare createdAt: Date;
  @Timestamp declare updatedAt: Date;
}
