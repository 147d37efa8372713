// Package history is all results below a folder: an index of them, series of each figure
// over the runs, and where their level changed. The folders are the truth: the index holds
// nothing that they do not, and is made again from them whenever it is missing, damaged, or
// of another version.
package history
