package view

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
)

// Cumulative is the curve of a histogram: X is ns, Y the share of packets at most that
// slow. The slowest packet is at the share (n - 1/2) / n, since a share of 1 cannot be
// drawn by its rarity.
func Cumulative(least uint64, buckets []record.Bucket) []block.Point {
	total := uint64(0)
	for _, b := range buckets {
		total += b.Count
	}
	if total == 0 {
		return nil
	}
	points := []block.Point{{X: float64(max(least, 1))}}
	below := uint64(0)
	for _, b := range buckets {
		below += b.Count
		share := min(float64(below), float64(total)-0.5) / float64(total)
		points = append(points, block.Point{X: float64(max(b.UpTo, 1)), Y: shareDigits(share)})
	}
	return points
}

// shareDigits rounds a share so that four digits of what is above it are left.
func shareDigits(share float64) float64 {
	if share <= 0 || share >= 1 {
		return share
	}
	scale := math.Pow10(4 + int(-math.Log10(1-share)))
	if scale > 1e14 {
		return share
	}
	return math.Round(share*scale) / scale
}
