using System.Collections.Generic;
using System.Linq;

namespace HalfnoteShed.Audio
{
    /// The player taps along to twelve pencil knocks; we take the median
    /// of what is left after throwing away the first taps and the outliers.
    public sealed class LatencyCalibrator
    {
        public const int Knocks = 12;
        public const int IgnoreFirst = 3;       // people need to find the beat
        public const double DefaultOffsetMs = 25;
        public const double MaxOffsetMs = 320;
        const double OutlierMs = 120;
        const int NeedAtLeast = 6;

        readonly List<double> _deltas = new List<double>();

        public void Tap(double tapMs, double knockMs) => _deltas.Add(tapMs - knockMs);

        public bool TryResult(out double offsetMs)
        {
            offsetMs = DefaultOffsetMs;
            var usable = _deltas.Skip(IgnoreFirst).ToList();
            if (usable.Count < NeedAtLeast) return false;

            double median = Median(usable);
            usable = usable.Where(d => System.Math.Abs(d - median) < OutlierMs).ToList();
            if (usable.Count < NeedAtLeast) return false;

            double result = Median(usable);
            // negative: the player anticipates, see Ambrose. Not a latency.
            if (result < 0) result = 0;
            if (result > MaxOffsetMs) return false;
            offsetMs = result;
            return true;
        }

        /// Called when the output device changes: the old result is worthless then.
        public void Reset()
        {
            _deltas.Clear();
        }

        static double Median(List<double> values)
        {
            var sorted = values.OrderBy(v => v).ToList();
            int mid = sorted.Count / 2;
            return sorted.Count % 2 == 1 ? sorted[mid] : (sorted[mid - 1] + sorted[mid]) / 2.0;
        }
    }
}
