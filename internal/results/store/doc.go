// Package store keeps results on disk: a folder a run, with result.json in it. The
// folders are the truth; nothing else holds what they do not.
package store
