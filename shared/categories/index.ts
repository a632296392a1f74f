/** Categories of expenses. */
export { createCategory, deleteCategory, updateCategory } from './changeCategories';
export { findCategory } from './findCategory';
export { removeDeletedCategories } from './removeDeletedCategories';
export { category, categoryKind, categoryList, presentCategory } from './record';
