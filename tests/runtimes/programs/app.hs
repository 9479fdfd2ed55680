-- Three tenths of a second in leaf, below functions that must all be in its stacks, and two in rest;
-- says how long it was in each.
module Main where

import Data.Bits
import System.CPUTime

leaf :: Int -> Int
leaf n = go 0 0
  where
    go acc i
        | i >= n = acc
        | otherwise = go (acc `xor` (i * 7 + (acc `shiftR` 3))) (i + 1)
{-# NOINLINE leaf #-}

rest :: Int -> Int
rest n = go 1 0
  where
    go acc i
        | i >= n = acc
        | otherwise = go (acc `xor` (i * 5 + (acc `shiftR` 2))) (i + 1)
{-# NOINLINE rest #-}

middle :: Int -> Int
middle n = sum (map (\k -> leaf (n + k)) [1 .. 10]) + 1
{-# NOINLINE middle #-}

outer :: Int -> Int
outer n = middle n + 1
{-# NOINLINE outer #-}

other :: Int -> Int
other n = sum (map (\k -> rest (n + k)) [1 .. 10]) + 1
{-# NOINLINE other #-}

loop :: (Int -> Int) -> Integer -> Int -> IO Int
loop f end acc = do
    now <- getCPUTime
    if now > end then return acc else loop f end $! (acc + f (20000 + acc `mod` 3))
{-# NOINLINE loop #-}

spend :: (Int -> Int) -> Integer -> IO Double
spend f ps = do
    from <- getCPUTime
    acc <- loop f (from + ps) 0
    until <- acc `seq` getCPUTime
    return (fromIntegral (until - from) / 1e12)
{-# NOINLINE spend #-}

main :: IO ()
main = do
    inLeaf <- spend outer 300000000000
    inRest <- spend other 200000000000
    putStrLn (show inLeaf ++ " " ++ show inRest)
