/** What the rest of the program may use of this feature. */
export { createCategory, deleteCategory, updateCategory } from './changeCategories';
export { findCategory } from './findCategory';
export { removeDeletedCategories } from './removeDeletedCategories';
export { category, categoryKind, categoryList, presentCategory } from './record';
