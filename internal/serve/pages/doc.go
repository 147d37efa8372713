// Package pages serves a folder of results as pages: the reports as upflab run writes them,
// runs while they go, the history, comparisons and the enforcement matrix. It can start and
// stop runs where it is allowed to.
package pages
