package search

import (
	"fmt"
	"time"
)

// Effort is what a preset means to the searches that are not MLRsearch.
type Effort struct {
	Throughput time.Duration // trial of Throughput
	Curve      time.Duration // trial of LossCurve
	Bursts     int           // Searches of BackToBack
	Longest    time.Duration // longest burst of BackToBack
	Wait       time.Duration // between bursts, for the device's buffers
	Attempts   int           // trials that a burst is given to be without loss
	Budget     time.Duration // of one search
}

// PresetEffort gives that of a preset of [Presets].
func PresetEffort(name string) (Effort, error) {
	switch name {
	case Quick:
		return Effort{Throughput: 2 * time.Second, Curve: time.Second, Bursts: 3, Longest: 20 * time.Millisecond,
			Wait: 100 * time.Millisecond, Attempts: 3, Budget: 2 * time.Minute}, nil
	case CSIT:
		return Effort{Throughput: 10 * time.Second, Curve: 5 * time.Second, Bursts: 10, Longest: 200 * time.Millisecond,
			Wait: 500 * time.Millisecond, Attempts: 3, Budget: 20 * time.Minute}, nil
	case RFC2544:
		return Effort{Throughput: fullTrial, Curve: fullTrial, Bursts: 50, Longest: longestBurst,
			Wait: residual, Attempts: 1, Budget: 12 * time.Hour}, nil
	}
	return Effort{}, unknownPreset(name)
}

func unknownPreset(name string) error {
	return fmt.Errorf("search: no preset %q: use one of %s", name, presetNames())
}
