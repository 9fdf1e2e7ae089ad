using System.Collections.Generic;
using System.Linq;
using HalfnoteShed.Core;

namespace HalfnoteShed.Concert
{
    public struct ConcertResult
    {
        public float Score;
        public float Applause;
        public bool EncoreOffered;
        public bool CriticPresent;
        public string HallId;
    }

    /// score = 0.5 moments + 0.3 readiness + 0.2 ensemble
    public sealed class ConcertScorer
    {
        static readonly int[] CriticConcerts = { 4, 11, 19, 27 };

        const float EncoreFrom = 40f;
        const float ExpectationUp = 2f;
        const float ExpectationDown = 6f;

        /// Slow pieces in St. Kilian, fast pieces in St. Kilian.
        const float ChurchSlowBonus = 10f;
        const float ChurchFastMalus = -12f;

        public ConcertResult Score(Season season, Programme p, IReadOnlyList<Grade> grades)
        {
            float moments = grades.Count == 0 ? 50f : (float)grades.Average(g => Points(g));
            float readiness = p.AverageReadiness();
            float ensemble = season.Orchestra.Ensemble;

            float score = 0.5f * moments + 0.3f * readiness + 0.2f * ensemble;

            if (season.Hall.Id == "kilian")
                score += p.IsMostlySlow ? ChurchSlowBonus : ChurchFastMalus;

            // A pencilled passage cannot fall apart and cannot shine.
            foreach (var mark in p.PencilMarks)
                score = mark.Clamp(score);

            float applause = score - season.Expectation;
            bool flop = applause < -15f;
            season.Expectation += flop ? -ExpectationDown : ExpectationUp;

            bool critic = CriticConcerts.Contains(season.ConcertIndex);
            if (critic)
            {
                // Herr Quendt only hears winds. If the fire alarm went off he
                // writes about the alarm, and his review counts as neutral.
                season.Review = season.FireAlarm
                    ? Review.Neutral
                    : Review.FromWinds(p.AverageReadiness(Section.Winds));
            }

            return new ConcertResult
            {
                Score = score,
                Applause = applause,
                EncoreOffered = applause > EncoreFrom && !season.Conductor.IsAsleep,
                CriticPresent = critic,
                HallId = season.Hall.Id
            };
        }

        static float Points(Grade g)
        {
            switch (g)
            {
                case Grade.Perfect: return 100f;
                case Grade.Good: return 60f;
                case Grade.Off: return 20f;
                default: return 0f;
            }
        }
    }
}
