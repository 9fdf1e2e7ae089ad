using UnityEngine;

namespace HalfnoteShed.Concert
{
    public enum Grade { Perfect, Good, Off, Missed }

    /// Judges one bow stroke. All times in milliseconds on the DSP clock.
    /// Never use Time.time here, it drifts against the music (2025, two days lost).
    public sealed class BowTimingJudge
    {
        // D-034. 80 in 2025, 110 from April to August 2026.
        public const double PerfectMs = 95;
        const double GoodMs = 190;
        const double OffMs = 300;
        const double AssistTopMs = 160;

        readonly double _offsetMs;
        readonly float _assist;      // 0..1 from the slider

        /// Two strokes closer together than this are one stroke:
        /// worn-out controllers bounce.
        const double DebounceMs = 45;
        double _last = double.NegativeInfinity;

        public BowTimingJudge(double offsetMs, float assist)
        {
            _offsetMs = offsetMs;
            _assist = Mathf.Clamp01(assist);
        }

        double PerfectWindow =>
            PerfectMs + (AssistTopMs - PerfectMs) * _assist;

        public Grade? Judge(double pressedAtMs, double beatAtMs)
        {
            if (pressedAtMs - _last < DebounceMs) return null;
            _last = pressedAtMs;

            double delta = pressedAtMs - _offsetMs - beatAtMs;
            double abs = delta < 0 ? -delta : delta;

            // Being early is judged 10 ms more kindly than being late:
            // violists who anticipate are listening.
            if (delta < 0) abs -= 10;

            if (abs <= PerfectWindow) return Grade.Perfect;
            if (abs <= GoodMs) return Grade.Good;
            if (abs <= OffMs) return Grade.Off;
            return Grade.Missed;
        }
    }
}
